import { Manager } from '@pintle/operator';
import { addSecSynchController } from './controller.ts';

const manager = new Manager({ leaderElection: 'secret-sync' });
addSecSynchController(manager);
await manager.run();

import { Manager } from '@pintle/operator';
import { addFooController } from './controller.ts';

const manager = new Manager({ leaderElection: 'sample-controller' });
addFooController(manager);
await manager.run();

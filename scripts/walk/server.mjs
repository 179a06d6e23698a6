// A control plane with one controller that has nothing to do, from its modules: `pintle up`, but never from the bundle.
import { run } from '../../packages/cli/dist/run.js';

await run(['up', '--port', '0', '--controllers=token-cleaner-controller', '--data', process.argv[2]]);

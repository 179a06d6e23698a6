export { requestSizeProblem } from './request-size.ts';

import { expect, test } from 'vitest';
import { defaultPullPolicy } from './image.ts';

const digest = `sha256:${'0'.repeat(64)}`;

test.each([
  ['x', 'Always'],
  ['x:latest', 'Always'],
  ['reg:5000/x', 'Always'],
  ['localhost/team/x', 'Always'],
  ['[::1]:5000/x', 'Always'],
  ['x:1.2', 'IfNotPresent'],
  [`x@${digest}`, 'IfNotPresent'],
  [`x:latest@${digest}`, 'Always'],
  ['x'.repeat(247), 'Always'],
  ['x'.repeat(248), 'IfNotPresent'],
  [`docker.io/${'x'.repeat(248)}`, 'IfNotPresent'],
  [`reg:5000/${'x'.repeat(255)}`, 'Always'],
  [`reg:5000/${'x'.repeat(256)}`, 'IfNotPresent'],
  ['', 'IfNotPresent'],
  [' x ', 'IfNotPresent'],
  ['team/UPPER', 'IfNotPresent'],
  ['x:', 'IfNotPresent'],
  ['x@sha256:short', 'IfNotPresent'],
])('the pull policy of "%s" is %s', (image, policy) => expect(defaultPullPolicy(image)).toBe(policy));

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { WebhookFront } from './webhook-front.ts';

/** Says its name to whoever connects. */
async function operatorCalled(name: string): Promise<number> {
  const server: Server = createServer((socket) => socket.end(name));
  server.listen({ host: 'localhost', port: 0 });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function ask({ port }: WebhookFront): Promise<string> {
  return text(connect({ host: 'localhost', port }));
}

test('whoever connects while no operator serves waits for the next one', async () => {
  await using front = await WebhookFront.open();
  const waiting = ask(front);
  front.forward(await operatorCalled('first'));
  expect(await waiting).toBe('first');
  expect(await ask(front)).toBe('first');
  front.hold();
  const waitingAgain = [ask(front), ask(front)];
  front.hold();
  front.forward(await operatorCalled('second'));
  expect(await Promise.all(waitingAgain)).toEqual(['second', 'second']);
});

test('where no operator is to come, nobody waits', async () => {
  await using front = await WebhookFront.open();
  front.forward(undefined);
  expect(await ask(front)).toBe('');
});

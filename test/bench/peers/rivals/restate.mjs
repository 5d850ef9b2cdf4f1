// A workflow of Restate that waits for a promise. Its callers talk to Restate's own server, which has its own store; this face
// only tells how often the action ran.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { action, pool, serve } from './face.mjs';

// The SDK wants Node 22.
Promise.withResolvers ??= function withResolvers() {
  let [resolve, reject] = [];
  const promise = new this((settle, fail) => ([resolve, reject] = [settle, fail]));
  return { promise, resolve, reject };
};
const restate = await import('@restatedev/restate-sdk');

const { run, runs } = await action(pool(8));
const approval = restate.workflow({
  name: 'approval',
  handlers: {
    run: async (context, { acts }) => {
      const decision = await context.promise('decision').get();
      if (acts) await context.run('act', () => run(context.key, decision).then(() => null));
      return { decision };
    },
    decide: async (context, { decision }) => {
      await context.promise('decision').resolve(decision);
      return {};
    },
  },
});
const port = await freePort();
await restate.endpoint().bind(approval).listen(port);
await register();
serve({ file: async () => randomUUID(), decide: refuse, result: refuse, runs });

function freePort() {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => found(free));
    });
  });
}

/** Tells Restate's server of this service, once it answers. */
async function register() {
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(`${process.env.RESTATE_ADMIN}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
    }).catch((error) => error);
    if (answer.ok) return;
    if (tries === 100) throw new Error('Restate does not take the service', { cause: answer });
    await new Promise((later) => setTimeout(later, 200));
  }
}

async function refuse() {
  throw new Error('callers talk to Restate itself');
}

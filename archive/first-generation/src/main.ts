// ARCHIVED AND UNSUPPORTED. Starts the server of the first generation from the environment (README.md).
import { Server } from './server.js';

try {
  const server = new Server();
  const started = server.start();
  // Whoever reads that it listens may end it at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void started.then(() => server.stop()));
  }
  await started;
} catch (error) {
  console.error(
    error instanceof Error && error.name === 'ConfigurationError' ? error.message : error,
  );
  process.exitCode = 1;
}

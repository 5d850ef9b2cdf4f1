// The container's health check, for engines that have no probes of their own: ready, or not.
const port = process.env.HEALTH_PORT ?? '9090';
try {
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(2500),
  });
  process.exitCode = status === 200 ? 0 : 1;
} catch {
  process.exitCode = 1;
}

// Loaded before main.js in every process that the launcher starts: when the launcher is killed, its channel closes,
// and the process ends as if it had been asked to, instead of holding ports and connections for nobody.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

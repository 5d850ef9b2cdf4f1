/** The archived document's §2: times in milliseconds, `errorRate` a fraction. */
export interface ServerStats {
  totalConnections: number;
  activeConnections: number;
  totalMessages: number;
  messagesPerSecond: number;
  averageLatency: number;
  errorRate: number;
  uptime: number;
}

export interface Statistics {
  connected(): void;
  /** A message came in, well formed or not. */
  received(now: number): void;
  failed(): void;
  /** A heartbeat was answered after so many milliseconds. */
  answered(milliseconds: number): void;
  snapshot(now: number, activeConnections: number): ServerStats;
}

// Messages per second are those of the last ten whole or begun seconds.
const SPAN = 10;
// Latency is the mean of so many heartbeats.
const HEARTBEATS = 1000;

export function createStatistics(startedAt: number): Statistics {
  let totalConnections = 0;
  let totalMessages = 0;
  let errors = 0;
  let latencies: number[] = [];
  const seconds = new Map<number, number>();

  return {
    connected() {
      totalConnections += 1;
    },
    received(now) {
      totalMessages += 1;
      const second = Math.floor(now / 1000);
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
      if (seconds.size > SPAN)
        for (const old of seconds.keys()) {
          if (old <= second - SPAN) seconds.delete(old);
        }
    },
    failed() {
      errors += 1;
    },
    answered(milliseconds) {
      latencies.push(milliseconds);
      if (latencies.length > 2 * HEARTBEATS) latencies = latencies.slice(-HEARTBEATS);
    },
    snapshot(now, activeConnections) {
      const uptime = Math.max(0, now - startedAt);
      const from = Math.floor(now / 1000) - SPAN;
      let recent = 0;
      for (const [second, count] of seconds) if (second > from) recent += count;
      const last = latencies.slice(-HEARTBEATS);
      const sum = last.reduce((total, each) => total + each, 0);
      return {
        totalConnections,
        activeConnections,
        totalMessages,
        messagesPerSecond: recent / Math.min(SPAN, Math.max(1, uptime / 1000)),
        averageLatency: last.length === 0 ? 0 : sum / last.length,
        errorRate: totalMessages === 0 ? 0 : Math.min(1, errors / totalMessages),
        uptime,
      };
    },
  };
}

import { createStatistics } from './statistics.js';

const NOW = 1_700_000_000_000;

describe('statistics', () => {
  it('begin with nothing', () => {
    expect(createStatistics(NOW).snapshot(NOW, 0)).toEqual({
      totalConnections: 0,
      activeConnections: 0,
      totalMessages: 0,
      messagesPerSecond: 0,
      averageLatency: 0,
      errorRate: 0,
      uptime: 0,
    });
  });

  it('count, and tell the fraction of errors', () => {
    const statistics = createStatistics(NOW);
    for (let count = 0; count < 50; count += 1) statistics.received(NOW);
    statistics.connected();
    statistics.failed();
    statistics.answered(10);
    statistics.answered(20);
    expect(statistics.snapshot(NOW + 60_000, 1)).toMatchObject({
      totalConnections: 1,
      activeConnections: 1,
      totalMessages: 50,
      averageLatency: 15,
      errorRate: 0.02,
      uptime: 60_000,
    });
  });

  it('tell the messages per second of the last ten seconds', () => {
    const statistics = createStatistics(NOW);
    for (let second = 0; second < 100; second += 1) {
      for (let count = 0; count < 5; count += 1) statistics.received(NOW + second * 1000);
    }
    expect(statistics.snapshot(NOW + 99_000, 0).messagesPerSecond).toBe(5);
    expect(statistics.snapshot(NOW + 200_000, 0).messagesPerSecond).toBe(0);
  });
});

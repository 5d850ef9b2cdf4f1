import { Gathering } from './gathering.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const ACME = 'acme';

/** Notes when each awaited batch of a tenant is chained, in milliseconds since now; a hinted one has a decision. */
function gathering() {
  const began = performance.now();
  const chained: number[] = [];
  const decisions = new Set<string>();
  const waits = new Gathering();
  return {
    chained,
    gather: (tenant = ACME): void => {
      void waits.gathered(tenant).then(() => {
        chained.push(performance.now() - began);
        if (decisions.delete(tenant)) waits.tookDecision(tenant);
      });
    },
    decided: (tenant = ACME): void => {
      decisions.add(tenant);
      waits.decided(tenant);
    },
    hintForNothing: (): void => waits.decided(ACME),
  };
}

describe('records', () => {
  it('gather for 20 ms', async () => {
    const { chained, gather } = gathering();
    gather();
    await jest.advanceTimersByTimeAsync(100);
    expect(chained).toEqual([20]);
  });

  it('are chained at once with a decision', async () => {
    const { chained, gather, decided } = gathering();
    decided();
    gather();
    await jest.advanceTimersByTimeAsync(0);
    expect(chained).toEqual([0]);
  });

  it('do not gather on when a decision comes', async () => {
    const { chained, gather, decided } = gathering();
    gather();
    await jest.advanceTimersByTimeAsync(7);
    decided();
    await jest.advanceTimersByTimeAsync(0);
    expect(chained).toEqual([7]);
  });

  it("gather on when another tenant's decision comes", async () => {
    const { chained, gather, decided } = gathering();
    gather();
    decided('other');
    await jest.advanceTimersByTimeAsync(19);
    expect(chained).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(chained).toEqual([20]);
  });
});

describe('decisions in short succession', () => {
  it('are chained every 10 ms', async () => {
    const { chained, gather, decided } = gathering();
    let batches = 0;
    for (let ms = 0; ms < 30; ms += 1) {
      decided();
      if (chained.length === batches) {
        gather();
        batches += 1;
      }
      await jest.advanceTimersByTimeAsync(1);
    }
    expect(chained).toEqual([0, 10, 20, 30]);
  });

  it('that are chained with others leave no haste behind', async () => {
    const { chained, gather, decided } = gathering();
    decided();
    gather();
    await jest.advanceTimersByTimeAsync(30);
    gather();
    await jest.advanceTimersByTimeAsync(30);
    expect(chained).toEqual([0, 50]);
  });

  it('are chained at once after a batch that was hinted for nothing', async () => {
    const { chained, gather, decided, hintForNothing } = gathering();
    hintForNothing();
    gather();
    await jest.advanceTimersByTimeAsync(5);
    gather();
    decided();
    await jest.advanceTimersByTimeAsync(0);
    expect(chained).toEqual([0, 5]);
  });
});

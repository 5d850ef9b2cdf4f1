import { Seats } from './seats.js';
import type { JobKind, SeatJob } from './seats.js';

interface Job extends SeatJob {
  readonly name: string;
}

let now = 0;
let seats: Seats<Job>;

function started(changes: Partial<ConstructorParameters<typeof Seats>[0]> = {}): void {
  now = 0;
  const limits = { seats: 2, queued: 4, breaks: 3, withinMs: 60_000, ...changes };
  seats = new Seats(limits, () => now);
  for (let seat = 0; seat < limits.seats; seat += 1) seats.free(seat);
}
beforeEach(() => started());

/** Named after its tenant and a number: 'a1' is the first of `a`. */
const job = (name: string, kind: JobKind = 'schema'): Job => ({ name, tenant: name[0]!, kind });

/** Which seat each job got, when these enter in this order. */
function enter(...names: string[]): string[] {
  return names.flatMap((name) => {
    seats.enter(job(name));
    return assigned();
  });
}
const assigned = () => seats.assign().map(({ seat, job: { name } }) => `${name} on ${seat}`);
const overflown = () => seats.overflow().map(({ name }) => name);
function broken(tenant: string, kind: JobKind = 'schema'): void {
  seats.broke(0, job(tenant, kind));
  seats.free(0);
}

describe('a tenant', () => {
  it('never holds the last seat', () => {
    expect(enter('a1', 'a2')).toEqual(['a1 on 0']);
    expect(enter('b1')).toEqual(['b1 on 1']);
    started({ seats: 4 });
    expect(enter('a1', 'a2', 'a3', 'a4', 'b1')).toHaveLength(4);
  });

  it('holds the seat that it broke until that has started again', () => {
    enter('a1', 'a2');
    seats.broke(0, job('a1'));
    expect(assigned()).toEqual([]);
    expect(enter('b1')).toEqual(['b1 on 1']);
    seats.free(0);
    expect(assigned()).toEqual(['a2 on 0']);
  });

  it('is not to blame for a seat that the machine did not let run', () => {
    for (let time = 0; time < 3; time += 1) {
      enter('a1');
      seats.broke(0, null);
      seats.free(0);
    }
    expect(seats.pauseOf(job('a2'))).toBe(0);
  });

  it('has all there is when there is one seat', () => {
    started({ seats: 1 });
    expect(enter('a1', 'b1')).toEqual(['a1 on 0']);
    seats.free(0);
    expect(assigned()).toEqual(['b1 on 0']);
  });
});

describe('the queue', () => {
  beforeEach(() => void enter('x1', 'y1'));

  it('serves the tenant with the fewest jobs first, then the oldest job', () => {
    enter('a1', 'a2', 'b1', 'x2');
    seats.free(0);
    seats.free(1);
    expect(assigned()).toEqual(['a1 on 0', 'b1 on 1']);
    seats.free(0);
    seats.free(1);
    expect(assigned()).toEqual(['a2 on 0', 'x2 on 1']);
  });

  it('crowds out the last job of the tenant with the most', () => {
    enter('a1', 'a2', 'a3', 'a4');
    expect(overflown()).toEqual([]);
    enter('b1');
    expect(overflown()).toEqual(['a4']);
    enter('a5');
    expect(overflown()).toEqual(['a5']);
  });

  it('refuses the newcomer when all have as little as it', () => {
    enter('a1', 'b1', 'c1', 'd1', 'e1');
    expect(overflown()).toEqual(['e1']);
  });

  it('lets go of a job whose time is over, once', () => {
    const waiting = job('a1');
    seats.enter(waiting);
    expect(seats.leave(waiting)).toBe(true);
    expect(seats.leave(waiting)).toBe(false);
    seats.free(0);
    expect(assigned()).toEqual([]);
  });
});

describe('a tenant that broke three seats within a minute', () => {
  it('waits until a minute after the first of the last three', () => {
    broken('a');
    now = 10_000;
    broken('a');
    expect(seats.pauseOf(job('a1'))).toBe(0);
    now = 20_000;
    broken('a');
    expect(seats.pauseOf(job('a1'))).toBe(40_000);
    now = 60_000;
    expect(seats.pauseOf(job('a1'))).toBe(0);
    broken('a');
    expect(seats.pauseOf(job('a1'))).toBe(10_000);
  });

  it('waits with that kind of job only, and no other job waits', () => {
    for (let time = 0; time < 3; time += 1) broken('a', 'schema');
    expect(seats.pauseOf(job('a1', 'schema'))).toBeGreaterThan(0);
    expect(seats.pauseOf(job('a1', 'response'))).toBe(0);
    expect(seats.pauseOf(job('b1', 'schema'))).toBe(0);
  });
});

describe('tenants that broke a seat lately', () => {
  it('leave one seat to the others, however many they are', () => {
    started({ seats: 3 });
    for (const tenant of ['a', 'b', 'c']) broken(tenant);
    expect(enter('a1', 'b1', 'c1')).toEqual(['a1 on 0', 'b1 on 1']);
    expect(enter('d1')).toEqual(['d1 on 2']);
  });

  it('are like all others a minute later', () => {
    broken('a');
    broken('b');
    expect(enter('a1', 'b1')).toEqual(['a1 on 0']);
    now = 60_000;
    expect(assigned()).toEqual(['b1 on 1']);
  });
});

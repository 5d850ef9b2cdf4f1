import { perMinute, shapeOf } from './chart.js';

describe('a chart', () => {
  it('goes from edge to edge and starts at zero', () => {
    const { line, area, least, most } = shapeOf(
      [
        { at: 1_000, value: 0 },
        { at: 2_000, value: 2 },
        { at: 3_000, value: 4 },
      ],
      200,
      46,
    );
    expect(line).toBe('0,46 100,26 200,6');
    expect(area).toBe('0,46 0,46 100,26 200,6 200,46');
    expect([least, most]).toEqual([0, 4]);
  });

  it('of nothing but zeros is drawn on the axis', () => {
    const zeros = [0, 5_000].map((at) => ({ at, value: 0 }));
    expect(shapeOf(zeros, 200, 46).line).toBe('0,46 200,46');
  });
});

describe('a counter', () => {
  it('becomes growth a minute, and starts again after it fell', () => {
    const counter = [
      { at: 0, value: 100 },
      { at: 30_000, value: 110 },
      { at: 60_000, value: 3 },
    ];
    expect(perMinute(counter)).toEqual([
      { at: 30_000, value: 20 },
      { at: 60_000, value: 6 },
    ]);
  });
});

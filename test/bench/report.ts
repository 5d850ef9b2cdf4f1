export type StartFigures = any;
export function report(_o: any, _m: any, start: any, ms: any[]) { 
  const lines = ms.map((m) => JSON.stringify({mode:m.mode,c:m.clients,r:+m.lifecyclesPerSecond.toFixed(1),reads:+m.reads.toFixed(1),cpu:Object.fromEntries(Object.entries(m.cpu).map(([k,v]:any)=>[k,+v.toFixed(2)])),steps:Object.fromEntries(Object.entries(m.steps).map(([k,v]:any)=>[k,[+v.p50.toFixed(1),+v.p99.toFixed(1),Math.round(v.bytes)]]))}));
  return { lines: [JSON.stringify(_m), JSON.stringify(start), ...lines], figures: {} }; }

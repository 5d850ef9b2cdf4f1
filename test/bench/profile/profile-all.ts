export async function profileAll(..._x: any[]): Promise<any> {
  return null;
}

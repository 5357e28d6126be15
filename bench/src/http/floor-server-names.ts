/** In a separate file, so that planning does not load the servers. */
const floorServerNames = ['node-http', 'node-files'] as const
export type FloorServerName = (typeof floorServerNames)[number]
export const isFloorServerName = (name: string): name is FloorServerName =>
  floorServerNames.some((known) => known === name)

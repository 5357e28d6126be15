/** Apart from the servers themselves, so that whoever only plans does not load them. */
const floorServerNames = ['node-http', 'node-files'] as const
export type FloorServerName = (typeof floorServerNames)[number]
export const isFloorServerName = (name: string): name is FloorServerName =>
  floorServerNames.some((known) => known === name)

/** Ports that Varve itself brings: their tests check them, so that a store need not at each call. */
const own = new WeakSet<object>()

/** Marks a port of Varve, and returns it. */
export function ownPort<T extends object>(port: T): T {
  own.add(port)
  return port
}

export const isOwnPort = (port: object): boolean => own.has(port)

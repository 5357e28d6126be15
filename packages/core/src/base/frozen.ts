/** Freezes the value and everything in it, because it is shared. */
export function frozen<T extends object>(value: T): T {
  // By names: the runtime makes the array of the values of an object with a new shape in its slow way.
  for (const name in value) {
    const part: unknown = value[name]
    if (typeof part === 'object' && part !== null) frozen(part)
  }
  return Object.freeze(value)
}

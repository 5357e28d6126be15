/** The value itself, frozen with all that is in it: several hold it, and none can change it for the others. */
export function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part as object)
  return Object.freeze(value)
}

/** Returns the values of a request for a condition key, spelled by `conditionKey`; `undefined` if it has none. */
export type RequestKeys = (key: string) => readonly string[] | undefined

/** The canonical spelling of a key: lower case, except for the name of a tag. */
export function conditionKey(name: string): string {
  const slash = name.indexOf('/')
  return slash === -1 ? name.toLowerCase() : name.slice(0, slash).toLowerCase() + name.slice(slash)
}

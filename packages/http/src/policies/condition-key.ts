/** The values of a request for a key, spelled by `conditionKey`; `undefined` without the key. */
export type RequestKeys = (key: string) => readonly string[] | undefined

/** The canonical spelling of a key: lower case, except for the name of a tag. */
export function conditionKey(name: string): string {
  const slash = name.indexOf('/')
  return slash === -1 ? name.toLowerCase() : name.slice(0, slash).toLowerCase() + name.slice(slash)
}

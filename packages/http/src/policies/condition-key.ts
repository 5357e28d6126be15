/** What a request says of itself: the values of a key, spelled by `conditionKey`, or that it does not have it. */
export type RequestKeys = (key: string) => readonly string[] | undefined

/** A key as conditions are asked for it: in lower case, but for the name of a tag. */
export function conditionKey(name: string): string {
  const slash = name.indexOf('/')
  return slash === -1 ? name.toLowerCase() : name.slice(0, slash).toLowerCase() + name.slice(slash)
}

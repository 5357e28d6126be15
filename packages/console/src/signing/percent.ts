/** Percent-encoding as signatures need it. */

/** Encodes everything but `A-Z a-z 0-9 - . _ ~`. Half a surrogate pair becomes U+FFFD. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The path that a signature covers. */
export const canonicalPath = (path: string): string => percentEncode(path).replaceAll('%2F', '/')

/**
 * The path that is sent. Browsers fold the segments `.` and `..`, also as `%2E%2E`, and proxies may fold `//`. A path
 * with such segments is sent as one segment. The server decodes a path before it splits it, so both mean the same.
 */
export function sentPath(path: string): string {
  const folds = path
    .slice(1)
    .split('/')
    .some((segment, at, all) => segment === '.' || segment === '..' || (segment === '' && at < all.length - 1))
  return folds ? `/${percentEncode(path.slice(1))}` : canonicalPath(path)
}

export type Query = readonly (readonly [name: string, value: string])[]

/** Encoded once and sorted by encoded name, then by encoded value. */
export function canonicalQuery(query: Query): string {
  return query
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

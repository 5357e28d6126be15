/**
 * Routes are in the fragment of the URL: `#/browse/photos?prefix=a%2F`. The server never sees a fragment, browsers do not
 * fold its segments, and every character of a key is encoded.
 */

export interface Route {
  /** Decoded segments: the page, then what it is about. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = split(hash.replace(/^#?\/?/, ''), '?')
  const segments = path === '' ? [] : path.split('/').map(decode)
  const pairs = query === '' ? [] : query.split('&').map((pair) => split(pair, '=').map(decode))
  return { path: segments, query: Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value])) }
}

/** The link to a route. Parameters that are undefined or empty are left out. */
export function linkTo(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${encode(name)}=${encode(value)}`],
  )
  return `#/${path.map(encode).join('/')}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** A link that a person changed by hand may hold anything. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function split(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

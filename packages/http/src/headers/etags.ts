/** ETags are quoted on the wire and not in the store. Clients send both forms. */

export function quoteEtag(etag: string): string {
  return `"${etag}"`
}

/** One ETag as a client may send it, without its quotes. A weak ETag keeps its `W/`, so it equals no strong one. */
export function unquoteEtag(text: string): string {
  const tag = text.trim()
  return tag.length >= 2 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag
}

/** The ETags of `If-Match`, which requires the same bytes: weak ETags promise less, so they match nothing. */
export function strongEtags(header: string): readonly string[] {
  return splitTags(header).map(unquoteEtag)
}

/** The ETags of `If-None-Match`, where weak and strong ETags match alike. */
export function weakEtags(header: string): readonly string[] {
  return splitTags(header).map((tag) => unquoteEtag(tag.startsWith('W/"') ? tag.slice(2) : tag))
}

/** Splits at commas outside of quotes. */
function splitTags(header: string): readonly string[] {
  const tags: string[] = []
  let quoted = false
  let start = 0
  for (let at = 0; at <= header.length; at += 1) {
    const character = header[at]
    if (character === '"') quoted = !quoted
    if (at < header.length && (character !== ',' || quoted)) continue
    const tag = header.slice(start, at).trim()
    if (tag !== '') tags.push(tag)
    start = at + 1
  }
  return tags
}

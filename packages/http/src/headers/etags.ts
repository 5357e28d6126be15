/** ETags stand in quotes on the wire and without them in the store. Clients send either. */

export function quoteEtag(etag: string): string {
  return `"${etag}"`
}

/** One tag as a client may send it, without its quotes. A weak tag keeps its `W/`: it equals no strong one. */
export function unquoteEtag(text: string): string {
  const tag = text.trim()
  return tag.length >= 2 && tag.startsWith('"') && tag.endsWith('"') ? tag.slice(1, -1) : tag
}

/** The tags of `If-Match`, which requires the same bytes: weak tags promise less, so they match nothing. */
export function strongEtags(header: string): readonly string[] {
  return splitTags(header).map(unquoteEtag)
}

/** The tags of `If-None-Match`, where a weak tag is as good as a strong one. */
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

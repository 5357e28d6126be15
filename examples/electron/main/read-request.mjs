/** Conditions and ranges of a request, as the store takes them. */

/** @param {Headers} headers */
export function conditionsOf(headers) {
  const [match, noneMatch] = [etagsOf(headers.get('if-match')), etagsOf(headers.get('if-none-match'))]
  const [since, unmodified] = [dateOf(headers.get('if-modified-since')), dateOf(headers.get('if-unmodified-since'))]
  return {
    ...(match && { ifMatch: match }),
    ...(noneMatch && { ifNoneMatch: noneMatch }),
    // As HTTP has it: the tags count if both are there.
    ...(since && !noneMatch && { ifModifiedSince: since }),
    ...(unmodified && !match && { ifUnmodifiedSince: unmodified }),
  }
}

/** The range of `bytes=2-5`, `bytes=2-` or `bytes=-4`. Any other counts as none, so that the whole object is answered. */
export function rangeOf(headers) {
  const match = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/.exec(headers.get('range') ?? '')
  if (match === null) return undefined
  const [first, last, suffix] = match.slice(1).map((digits) => (digits === undefined ? undefined : Number(digits)))
  if (first === undefined) return { suffix }
  if (last === undefined) return { first }
  return last < first ? undefined : { first, last }
}

/** Whether the range still belongs to what the client has: `If-Range` with a tag or a date. */
export function isSame(headers, { etag, lastModified }) {
  const known = headers.get('if-range')
  if (known === null) return true
  return known.startsWith('"') ? known === `"${etag}"` : dateOf(known)?.getTime() === seconds(lastModified)
}

const seconds = (date) => Math.floor(date.getTime() / 1000) * 1000
const etagsOf = (text) => text?.split(',').map((each) => each.trim().replace(/^W\//, '').replaceAll('"', ''))

function dateOf(text) {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}

/**
 * The spelling of header names in answers. HTTP ignores case, but programs that read S3's answers as text do not: shell
 * scripts and libs3 look for `ETag` and `Content-Length`.
 */

/** Names that follow no rule. */
const exceptions: Readonly<Record<string, string>> = {
  etag: 'ETag',
  'www-authenticate': 'WWW-Authenticate',
  'x-request-id': 'x-request-id',
}

/** Headers of S3 and of this server stay in lower case, as S3 sends them. Their names are unlimited: `x-amz-meta-…`. */
const lowerCase = /^x-(?:amz|svc|varve)-/

const spelled = new Map(Object.entries(exceptions))

/** @param name A name in lower case, from the program and not from a client. */
export function wireName(name: string): string {
  const known = spelled.get(name)
  if (known !== undefined) return known
  if (lowerCase.test(name)) return name
  const spelling = name.replace(/(?<![^-])[a-z]/g, (letter) => letter.toUpperCase())
  spelled.set(name, spelling)
  return spelling
}

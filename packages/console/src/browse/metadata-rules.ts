/** The rules of S3 for metadata and tags, so that a form shows what is wrong before the server does. */

interface Pair {
  readonly name: string
  readonly value: string
}

/** S3 allows 2 KiB of user metadata. */
const metadataBytesMax = 2048

export function problemOfMetadata(pairs: readonly Pair[]): string | undefined {
  const odd = pairs.find(({ name }) => !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
  if (odd !== undefined) return `“${odd.name}” is not a name for a header: use letters, digits and hyphens.`
  if (pairs.some(({ value }) => /[\0-\x1f\x7f]/.test(value))) return 'A value has no line breaks or control characters.'
  const bytes = pairs.reduce((sum, { name, value }) => sum + new TextEncoder().encode(name + value).length, 0)
  if (bytes > metadataBytesMax)
    return `All names and values together have at most ${metadataBytesMax} bytes, not ${bytes}.`
  return problemOfNames(pairs.map(({ name }) => name.toLowerCase()))
}

export function problemOfTags(tags: readonly Pair[], max: number): string | undefined {
  if (tags.length > max) return `There are at most ${max} tags.`
  if (tags.some(({ name }) => name === '' || name.length > 128)) return 'The name of a tag has 1 to 128 characters.'
  if (tags.some(({ value }) => value.length > 256)) return 'The value of a tag has at most 256 characters.'
  if (tags.some(({ name }) => name.toLowerCase().startsWith('aws:'))) return 'Names that begin with aws: are reserved.'
  return problemOfNames(tags.map(({ name }) => name))
}

function problemOfNames(names: readonly string[]): string | undefined {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `“${twice}” is there twice.`
}

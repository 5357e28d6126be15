/** How an object is previewed, by its content type and the ending of its key. */

export type PreviewKind = 'image' | 'video' | 'audio' | 'pdf' | 'json' | 'text' | 'unknown'

const byEnding: ReadonlyMap<string, PreviewKind> = new Map([
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg', 'bmp', 'ico'].map((ending) => [ending, 'image'] as const),
  ...['mp4', 'webm', 'mov', 'm4v', 'ogv'].map((ending) => [ending, 'video'] as const),
  ...['mp3', 'ogg', 'wav', 'flac', 'm4a', 'opus'].map((ending) => [ending, 'audio'] as const),
  ...[
    'txt',
    'md',
    'csv',
    'tsv',
    'log',
    'xml',
    'html',
    'css',
    'js',
    'ts',
    'yaml',
    'yml',
    'toml',
    'ini',
    'sh',
    'sql',
  ].map((ending) => [ending, 'text'] as const),
  ['pdf', 'pdf'],
  ['json', 'json'],
])

/** In this order: the first pattern that matches counts. */
const byType: readonly (readonly [RegExp, PreviewKind])[] = [
  [/^application\/pdf$/, 'pdf'],
  [/^application\/json$|\+json$/, 'json'],
  [/^image\//, 'image'],
  [/^video\//, 'video'],
  [/^audio\//, 'audio'],
  [/^text\/|(xml|javascript|yaml|toml|sql|x-sh|ndjson)$/, 'text'],
]

/** A type that many clients send for everything. */
const meaningless = /^$|^(application|binary)\/octet-stream$/

export function previewKindOf(contentType: string, key: string): PreviewKind {
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase()
  const ending = key.slice(key.lastIndexOf('.') + 1).toLowerCase()
  if (meaningless.test(type)) return byEnding.get(ending) ?? 'unknown'
  return byType.find(([pattern]) => pattern.test(type))?.[1] ?? 'unknown'
}

/** Text has no NUL, and few characters that UTF-8 does not know. */
export function looksLikeText(text: string): boolean {
  const odd = text.match(/[\0-\x08\x0e-\x1f\ufffd]/g)?.length ?? 0
  return !text.includes('\0') && odd <= text.length / 100
}

/** `varve://bucket/key`: objects as resources. Each part of a key is percent-encoded. */

export const resourceUri = (bucket: string, path: string): string =>
  `varve://${bucket}/${path.split('/').map(encodeURIComponent).join('/')}`

/** `undefined` for another URI. It is no URL for the parser of URLs, which would resolve `..` in keys. */
export function parseResourceUri(uri: string): { readonly bucket: string; readonly path: string } | undefined {
  const [, bucket = '', encoded = ''] = /^varve:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? []
  if (encoded === '') return undefined
  try {
    return { bucket, path: decodeURIComponent(encoded) }
  } catch {
    return undefined
  }
}

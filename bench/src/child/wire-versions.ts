/** Reads pages of ListObjectVersions as a client does. */
import { countOf, expectStatus, type S3Client } from '../http/s3-client.ts'
import { pageEntries } from '../targets/object-target.ts'
import { bucket } from '../targets/store-target.ts'

export interface VersionsPage {
  /** The query string that requests the page. */
  readonly query: string
  readonly count: number
}

export async function listVersions(client: S3Client, query: string): Promise<{ count: number; next?: string }> {
  const { body } = expectStatus(await client.ask({ method: 'GET', path: `/${bucket}`, query }), 200)
  const count = countOf(body, '<Version>')
  const text = body.toString()
  const [keyMarker, versionMarker] = ['NextKeyMarker', 'NextVersionIdMarker'].map((name) => textOf(text, name))
  if (textOf(text, 'IsTruncated') !== 'true' || keyMarker === undefined) return { count }
  return { count, next: pageQuery(keyMarker, versionMarker) }
}

export async function allVersionPages(client: S3Client): Promise<VersionsPage[]> {
  const pages: VersionsPage[] = []
  for (let query: string | undefined = pageQuery(); query !== undefined; ) {
    const { count, next } = await listVersions(client, query)
    pages.push({ query, count })
    query = next
  }
  return pages
}

/** Parameters in the order of their names, as the signature needs them. */
function pageQuery(keyMarker?: string, versionMarker?: string): string {
  const parameters = [
    ...(keyMarker === undefined ? [] : [`key-marker=${encodeURIComponent(keyMarker)}`]),
    `max-keys=${pageEntries}`,
    ...(versionMarker === undefined ? [] : [`version-id-marker=${encodeURIComponent(versionMarker)}`]),
    'versions=',
  ]
  return parameters.join('&')
}

const textOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]

/** An object of a server of S3, as its answers describe it. */
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3'
import { type ContentHeaders, decodeHeaderText, decodeWords, textOfHeaderBytes } from '@varve/core'

/** An object that is read, with what is known of it. Times, owners and locks are not. */
export interface SourceObject extends ContentHeaders {
  readonly key: string
  readonly versionId?: string
  /** Bytes. */
  readonly size: number
  /** Without quotes. */
  readonly etag: string
  /** Hex, if the ETag tells it. */
  readonly md5?: string
  readonly metadata: Readonly<Record<string, string>>
  readonly storageClass?: string
  readonly tagCount: number
}

type Answer = Omit<HeadObjectCommandOutput, '$metadata'>

const headers = {
  contentType: 'ContentType',
  contentEncoding: 'ContentEncoding',
  contentLanguage: 'ContentLanguage',
  contentDisposition: 'ContentDisposition',
  cacheControl: 'CacheControl',
  expires: 'ExpiresString',
  websiteRedirectLocation: 'WebsiteRedirectLocation',
} as const satisfies Partial<Record<keyof SourceObject, keyof Answer>>

/** An object, or a version of it, in the bucket. */
export interface SourcePlace {
  readonly key: string
  readonly versionId?: string | undefined
}

export function sourceObject({ key, versionId }: SourcePlace, answer: Answer, size: number): SourceObject {
  const etag = (answer.ETag ?? '').replaceAll('"', '')
  const isPlain = /^[0-9a-f]{32}$/.test(etag) && [undefined, 'AES256'].includes(answer.ServerSideEncryption)
  const given = Object.entries(headers).flatMap(([name, from]) => {
    const value: unknown = answer[from]
    return typeof value === 'string' && value !== '' ? [[name, textOfHeaderBytes(value)]] : []
  })
  return {
    key,
    ...(versionId !== undefined && { versionId }),
    size,
    etag,
    ...(isPlain && answer.SSECustomerAlgorithm === undefined && { md5: etag }),
    ...(Object.fromEntries(given) as Partial<SourceObject>),
    metadata: metadataOf(answer),
    ...(answer.StorageClass !== undefined && { storageClass: answer.StorageClass }),
    tagCount: answer.TagCount ?? 0,
  }
}

/** As Varve reads it in requests: servers write text beyond ASCII as encoded words, or as bare UTF-8. */
const metadataOf = ({ Metadata = {} }: Answer): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(Metadata).map(([name, raw]) => [name, decodeWords(decodeHeaderText(raw))]))

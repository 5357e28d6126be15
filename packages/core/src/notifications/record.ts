/** The records of S3 notifications: version 2.1 of their JSON, 2.3 for tags and ACLs, as recorded from AWS. */
import { versionId } from '../naming/version-id.ts'
import type { NotificationName, NotifiedEvent } from './event-name.ts'

/** One record of a notification, in the form of S3. */
export interface NotificationRecord {
  readonly eventVersion: '2.1' | '2.3'
  readonly eventSource: 'aws:s3'
  readonly awsRegion: string
  /** ISO 8601, UTC. */
  readonly eventTime: string
  readonly eventName: NotificationName
  readonly userIdentity: { readonly principalId: string }
  /** Always empty: the log does not store addresses. */
  readonly requestParameters: { readonly sourceIPAddress: '' }
  readonly responseElements: { readonly 'x-amz-request-id': string; readonly 'x-amz-id-2': '' }
  readonly s3: {
    readonly s3SchemaVersion: '1.0'
    readonly configurationId: string
    readonly bucket: {
      readonly name: string
      readonly ownerIdentity: { readonly principalId: string }
      readonly arn: string
    }
    readonly object: {
      /** Encoded as in a URL, with `+` for blanks. */
      readonly key: string
      readonly size?: number
      readonly eTag?: string
      readonly versionId?: string
      /** For events of one key, later events have greater sequencers. */
      readonly sequencer?: string
    }
  }
}

/** What a record contains besides the event. */
export interface RecordContext {
  readonly name: NotificationName
  readonly configurationId: string
  readonly bucket: { readonly owner: string; readonly region: string }
  /** The ETag of the version whose tags or ACL were set. */
  readonly etag: string | undefined
}

export function notificationRecord(event: NotifiedEvent, context: RecordContext): NotificationRecord {
  const { name, configurationId, bucket } = context
  return {
    eventVersion: isAnnotation(event) ? '2.3' : '2.1',
    eventSource: 'aws:s3',
    awsRegion: bucket.region,
    eventTime: new Date(event.at).toISOString(),
    eventName: name,
    userIdentity: { principalId: event.by.id },
    requestParameters: { sourceIPAddress: '' },
    responseElements: { 'x-amz-request-id': event.requestId, 'x-amz-id-2': '' },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId,
      bucket: {
        name: event.data.bucket,
        ownerIdentity: { principalId: bucket.owner },
        arn: `arn:aws:s3:::${event.data.bucket}`,
      },
      object: { key: encodeKey(event.data.key), ...objectFacts(event, context) },
    },
  }
}

const isAnnotation = ({ type }: NotifiedEvent): boolean => type === 'ObjectTagsSet' || type === 'ObjectAclSet'

function objectFacts(event: NotifiedEvent, { etag }: RecordContext): Partial<NotificationRecord['s3']['object']> {
  switch (event.type) {
    case 'VersionAdded':
    case 'UploadCompleted':
      return { size: event.data.size, eTag: event.data.etag, ...madeVersion(event), ...sequencer(event) }
    case 'DeleteMarkerAdded':
      return { ...madeVersion(event), ...sequencer(event) }
    case 'VersionRemoved':
    case 'VersionRestored':
      return sequencer(event)
    case 'ObjectTagsSet':
    case 'ObjectAclSet':
      return etag === undefined ? {} : { eTag: etag }
  }
}

/** A null version has no id in the record. */
const madeVersion = ({ seq, epoch, data: { nullVersion } }: NotifiedEvent & { data: { nullVersion: boolean } }) =>
  nullVersion ? {} : { versionId: versionId({ seq, epoch, nullVersion }) }

const sequencer = ({ seq }: NotifiedEvent) => ({ sequencer: seq.toString(16).toUpperCase().padStart(16, '0') })

const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

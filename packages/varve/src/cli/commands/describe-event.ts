/** Describes an event of the log in one line for people. */
import {
  type Actor,
  type EventShapes,
  type EventType,
  type IdentityEventType,
  type ObjectEncryption,
  type RecordedEvent,
  versionId,
} from '@varve/core'
import { canonicalId } from '@varve/http'
import { durationWords } from '../support/duration-words.ts'
import { printable } from '../support/printable.ts'
import { quotaText } from '../support/quota-text.ts'
import { s3Uri } from '../support/s3-uri.ts'
import { type Colour, plainStyle, type TerminalStyle } from '../support/terminal-style.ts'

const typeWidth = 'DeleteMarkerAdded'.length

/** Position, time, event, subject, the most important facts, and the actor. */
export function describeEvent(event: RecordedEvent, { paint }: TerminalStyle = plainStyle): string {
  const { seq, at, by, type } = event
  const [subject, facts] = describe(event)
  const colour = colourOf(type)
  const name = type.padEnd(typeWidth)
  const columns = [
    String(seq).padStart(8),
    new Date(at).toISOString(),
    colour === undefined ? name : paint(colour, name),
    printable(subject),
  ]
  const rest = [facts, causeOf(event), `by ${actorText(by)}`].map(printable)
  return [...columns, ...rest].filter((column) => column !== '').join('  ')
}

/** The name, and the id where it does not follow from that. Commands take both. */
const actorText = ({ id, name }: Actor): string => (id === name || id === canonicalId(name) ? name : `${name} (${id})`)

/** What was there is gone, or what was not is there. */
function colourOf(type: EventType): Colour | undefined {
  if (/Removed|Deleted|Erased|Dropped|Lost|Revoked|DeleteMarker/.test(type)) return 'red'
  return /Added|Created|Completed|Restored|Forked/.test(type) ? 'green' : undefined
}

function causeOf({ data }: RecordedEvent): string {
  const cause = 'cause' in data ? data.cause : undefined
  if (cause === undefined) return ''
  return `${causes[cause.kind]} position ${cause.to}`
}

const causes = { restore: 'restored to', undo: 'undone up to', merge: 'merged as of' } as const

type Described = readonly [subject: string, facts: string]

function describe(event: RecordedEvent): Described {
  switch (event.type) {
    case 'BucketCreated':
      return [s3Uri(event.data.bucket), `in ${event.data.region}`]
    case 'BucketDeleted':
      return [s3Uri(event.data.bucket), '']
    case 'BucketForked':
      return [s3Uri(event.data.bucket), `of ${s3Uri(event.data.from)} at ${event.data.position ?? event.seq}`]
    case 'ForkDropped':
      return [s3Uri(event.data.bucket), '']
    case 'ForkCleared':
      return [s3Uri(event.data.bucket), `dropped by event ${event.data.dropped}`]
    case 'ForkReleased':
      return ['', `fork ${event.data.fork}`]
    case 'BucketRestored':
      return [s3Uri(event.data.bucket), `deleted by event ${event.data.deleted}`]
    case 'VersioningSet':
      return [s3Uri(event.data.bucket), event.data.status]
    case 'BucketSettingRemoved':
      return [s3Uri(event.data.bucket), event.data.kind]
    case 'RetentionSet':
      return [event.data.bucket === undefined ? '' : s3Uri(event.data.bucket), retentionFacts(event.data.retention)]
    case 'ErasureStarted':
      return ['', `${event.data.contents.length} to erase`]
    case 'ContentsErased':
      return ['', `${event.data.erased.length} erased`]
    case 'ErasureRequested':
      return [s3Uri(event.data.bucket), `erasure requested: ${event.data.versions.length || 'uploads'}`]
    case 'SnapshotCreated':
      return [event.data.bucket === undefined ? '' : s3Uri(event.data.bucket), snapshotFacts(event)]
    case 'SnapshotDeleted':
      return ['', event.data.name]
    case 'TaskStarted':
      return ['', `${event.data.kind} ${event.data.id}: ${event.data.done} of ${event.data.total} changes`]
    case 'TaskContinued':
      return ['', `${event.data.id}: ${event.data.done} changes`]
    case 'TaskEnded':
      return ['', [`${event.data.id}: ${event.data.outcome}`, event.data.code ?? ''].join(' ').trimEnd()]
    case 'PinsSettled':
      return ['', `${event.data.pinned.length} pinned, ${event.data.released.length} released`]
    case 'IdentityCreated':
    case 'IdentityPolicySet':
    case 'IdentityQuotaSet':
    case 'IdentityRemoved':
    case 'AccessKeyAdded':
    case 'AccessKeyRevoked':
      return ['', identityFacts(event)]
    case 'KeyGenerationAdded':
    case 'KeyGenerationRewrapped':
      return ['', `generation ${event.data.generation} in master key ${event.data.master}`]
    case 'EpochBegun':
      return ['', epochFacts(event.data)]
    case 'BytesHealed':
      return ['', healedFacts(event.data)]
    case 'EventLost':
      return ['', lostFacts(event.data)]
    default:
      if ('key' in event.data) return [s3Uri(event.data.bucket, event.data.key), keyFacts(event as KeyEvent)]
      return [s3Uri(event.data.bucket), shortJson(event.data.value)]
  }
}

function identityFacts(event: Extract<RecordedEvent, { readonly type: IdentityEventType }>): string {
  switch (event.type) {
    case 'IdentityCreated': {
      const { name, id, trust } = event.data
      return `${trust === undefined ? 'user' : 'role'} ${name}, id ${id}`
    }
    case 'IdentityPolicySet':
      return `id ${event.data.id}: ${event.data.policy === undefined ? 'no policy' : shortJson(event.data.policy)}`
    case 'IdentityQuotaSet': {
      const { id, ...quota } = event.data
      return `id ${id}: ${quotaText(quota)}`
    }
    case 'IdentityRemoved':
      return `id ${event.data.id}`
    case 'AccessKeyAdded':
    case 'AccessKeyRevoked':
      return `${event.data.accessKeyId} of id ${event.data.identity}`
  }
}

type KeyEvent = Extract<RecordedEvent, { readonly data: { readonly key: string } }>

function keyFacts(event: KeyEvent): string {
  switch (event.type) {
    case 'VersionAdded':
    case 'UploadCompleted':
      return addedFacts(event)
    case 'DeleteMarkerAdded':
      return `version ${idOf(event)}`
    case 'ObjectTagsSet':
    case 'ObjectAclSet':
    case 'ObjectRetentionSet':
    case 'ObjectLegalHoldSet': {
      const { version, value } = event.data
      return `version of event ${version}: ${value === undefined ? 'removed' : shortJson(value)}`
    }
    case 'VersionRestored':
    case 'VersionRemoved':
      return `${event.data.deleteMarker ? 'marker' : 'version'} of event ${event.data.version}`
    case 'UploadStarted':
      return encryptionFacts(event.data.encryption).join('')
    case 'PartAdded':
      return `upload of event ${event.data.upload}, part ${event.data.partNumber}, ${event.data.size} bytes`
    case 'UploadAborted':
      return `upload of event ${event.data.upload}`
  }
}

function addedFacts(event: Extract<RecordedEvent, { readonly type: 'VersionAdded' | 'UploadCompleted' }>): string {
  const facts = [`version ${idOf(event)}`, `${event.data.size} bytes`]
  if (event.type === 'UploadCompleted') facts.push(`upload of event ${event.data.upload}`)
  else if (event.data.copiedFrom !== undefined) {
    const { bucket, key, version } = event.data.copiedFrom
    facts.push(`copied from ${s3Uri(bucket, key)} of event ${version}`)
  }
  return [...facts, ...encryptionFacts(event.data.encryption)].join(', ')
}

const idOf = ({
  seq,
  epoch,
  data: { nullVersion },
}: RecordedEvent & { readonly data: { readonly nullVersion: boolean } }) => versionId({ seq, epoch, nullVersion })

/** The mode of encryption and the name of the key in the keyring; never a key. */
function encryptionFacts(encryption: ObjectEncryption | undefined): readonly string[] {
  if (encryption === undefined) return []
  const { mode, keyName } = encryption
  return [`encrypted (${mode}${keyName === undefined ? '' : ` with ${keyName}`})`]
}

function retentionFacts(retention: EventShapes['RetentionSet']['retention']): string {
  if (retention === null) return 'as the store'
  const { keepMs, budget: { bytes, percent } = {} } = retention
  const limits = [
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ...(percent === undefined ? [] : [`${percent} %`]),
  ]
  return [`keeps removed bytes for ${durationWords(keepMs)}`, ...limits.map((limit) => `within ${limit}`)].join(', ')
}

const snapshotFacts = ({ seq, data: { name, position = seq } }: RecordedEvent<'SnapshotCreated'>): string =>
  `${name} of position ${position}`

/** Shortened JSON, enough to distinguish values; the log as JSON has the whole value. */
function shortJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= shortMax ? text : `${text.slice(0, shortMax)}…`
}

const shortMax = 120

const epochFacts = ({ epoch, from, reason, source }: EventShapes['EpochBegun']): string =>
  `${epoch} after event ${from.seq}: ${reason}${source === undefined ? '' : ` from ${source}`}`

const healedFacts = ({ what, blob, fault, from }: EventShapes['BytesHealed']): string =>
  `${fault} ${what === 'key' ? 'data key of' : 'bytes of'} blob ${blob}, from ${from}`

const lostFacts = ({ reason, dependsOn }: EventShapes['EventLost']): string =>
  dependsOn === undefined ? reason : `${reason} on event ${dependsOn}`

import { randomUUID } from 'node:crypto'
import type { NotificationConfiguration, NotificationTarget, NotificationTargetKind } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { readXml } from '../xml/read.ts'
import { type Infer, list, object, opaque, optional, text } from '../xml/schema.ts'
import { element } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

const targetsMax = 100
const filter = object({
  S3Key: optional(object({ FilterRule: list(object({ Name: text(), Value: text({ max: 1024 }) }), { max: 10 }) })),
})
const common = { Id: optional(text({ max: 255 })), Event: list(text(), { min: 1, max: 100 }), Filter: optional(filter) }
const schema = object({
  TopicConfiguration: list(object({ ...common, Topic: text() }), { max: targetsMax }),
  QueueConfiguration: list(object({ ...common, Queue: text() }), { max: targetsMax }),
  CloudFunctionConfiguration: list(object({ ...common, CloudFunction: text() }), { max: targetsMax }),
  EventBridgeConfiguration: optional(opaque()),
})
const root = 'NotificationConfiguration'

/** S3's names of events. Most of these events never occur on this server. */
const eventNames: ReadonlySet<string> = new Set(
  `ObjectCreated:* ObjectCreated:Put ObjectCreated:Post ObjectCreated:Copy ObjectCreated:CompleteMultipartUpload
  ObjectRemoved:* ObjectRemoved:Delete ObjectRemoved:DeleteMarkerCreated ObjectRestore:* ObjectRestore:Post
  ObjectRestore:Completed ObjectRestore:Delete ReducedRedundancyLostObject Replication:*
  Replication:OperationFailedReplication Replication:OperationNotTracked Replication:OperationMissedThreshold
  Replication:OperationReplicatedAfterThreshold LifecycleExpiration:* LifecycleExpiration:Delete
  LifecycleExpiration:DeleteMarkerCreated LifecycleTransition IntelligentTiering ObjectTagging:* ObjectTagging:Put
  ObjectTagging:Delete ObjectAcl:Put`
    .split(/\s+/)
    .map((name) => `s3:${name}`),
)

type TargetBody = Infer<ReturnType<typeof object<typeof common>>>

/** @throws S3Error `MalformedXML`, `InvalidArgument`; `NotImplemented` for EventBridge */
export function readNotificationConfiguration(bytes: Uint8Array): NotificationConfiguration {
  const body = readXml(bytes, root, schema)
  if (body.EventBridgeConfiguration) throw new S3Error('NotImplemented', 'EventBridge is not implemented.')
  const targets = [
    ...body.TopicConfiguration.map((one) => targetOf('Topic', one.Topic, one)),
    ...body.QueueConfiguration.map((one) => targetOf('Queue', one.Queue, one)),
    ...body.CloudFunctionConfiguration.map((one) => targetOf('CloudFunction', one.CloudFunction, one)),
  ]
  const ids = targets.map(({ id }) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) throw invalid('Id', twice, 'Same ID used for multiple configurations. IDs must be unique')
  return { targets }
}

function targetOf(kind: NotificationTargetKind, arn: string, { Id, Event, Filter }: TargetBody): NotificationTarget {
  if (!/^arn:[^:]*:[^:]+:[^:]*:[^:]*:.+$/.test(arn)) throw invalid(kind, arn, 'The ARN could not be parsed')
  for (const name of Event) {
    if (!eventNames.has(name)) {
      throw invalid('Event', name, 'A specified event is not supported for notifications.')
    }
  }
  const rules = (Filter?.S3Key?.FilterRule ?? []).map(ruleOf)
  if (new Set(rules.map(({ name }) => name)).size < rules.length) {
    throw invalid('FilterRule', '', 'Cannot specify more than one rule of a kind in a filter.')
  }
  return { id: Id || randomUUID(), kind, arn, events: Event, ...(rules.length > 0 && { filter: rules }) }
}

function ruleOf({ Name, Value }: { readonly Name: string; readonly Value: string }) {
  const name = Name.toLowerCase()
  if (name === 'prefix' || name === 'suffix') return { name, value: Value } as const
  throw invalid('FilterRule.Name', Name, 'filter rule name must be either prefix or suffix')
}

const invalid = (name: string, value: string, message: string): S3Error =>
  new S3Error('InvalidArgument', message, { details: { ArgumentName: name, ArgumentValue: value } })

export const notificationElements = ({ targets }: NotificationConfiguration): readonly Xml[] =>
  targets.map(({ id, kind, arn, events, filter: rules }) =>
    element(`${kind}Configuration`, [
      element('Id', id),
      element(kind, arn),
      ...events.map((name) => element('Event', name)),
      ...(rules === undefined ? [] : [filterElement(rules)]),
    ]),
  )

function filterElement(rules: NonNullable<NotificationTarget['filter']>): Xml {
  const written = rules.map(({ name, value }) =>
    element('FilterRule', [element('Name', name === 'prefix' ? 'Prefix' : 'Suffix'), element('Value', value)]),
  )
  return element('Filter', [element('S3Key', written)])
}

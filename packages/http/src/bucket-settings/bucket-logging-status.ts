import type { AclPermission, LoggingConfiguration } from '@varve/core'
import type { Named } from '../access/grantees.ts'
import { grantElement, grantList, namedGrant } from '../acl/access-control-policy.ts'
import { malformed } from '../xml/malformed.ts'
import { readXml } from '../xml/read.ts'
import { object, oneOf, optional, text } from '../xml/schema.ts'
import { element, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

const schema = object({
  LoggingEnabled: optional(
    object({
      TargetBucket: text({ max: 255 }),
      TargetPrefix: text({ max: 1024 }),
      TargetGrants: optional(object({ Grant: grantList(oneOf('FULL_CONTROL', 'READ', 'WRITE', 'READ_ACP')) })),
      TargetObjectKeyFormat: optional(
        object({
          SimplePrefix: optional(object({})),
          PartitionedPrefix: optional(object({ PartitionDateSource: oneOf('EventTime', 'DeliveryTime') })),
        }),
      ),
    }),
  ),
})

export interface LoggingBody extends Omit<LoggingConfiguration, 'targetGrants'> {
  readonly targetGrants?: readonly { readonly to: Named; readonly permission: AclPermission }[]
}

/** `undefined`: logging is off. @throws MalformedXML */
export function readBucketLoggingStatus(bytes: Uint8Array): LoggingBody | undefined {
  const { LoggingEnabled: body } = readXml(bytes, 'BucketLoggingStatus', schema)
  if (body === undefined) return undefined
  const { TargetBucket, TargetPrefix, TargetGrants, TargetObjectKeyFormat: format } = body
  return {
    targetBucket: TargetBucket,
    targetPrefix: TargetPrefix,
    ...(TargetGrants && { targetGrants: TargetGrants.Grant.map(namedGrant) }),
    ...(format && { keyFormat: keyFormat(format) }),
  }
}

function keyFormat(format: {
  readonly SimplePrefix?: object
  readonly PartitionedPrefix?: { readonly PartitionDateSource: string }
}): NonNullable<LoggingConfiguration['keyFormat']> {
  const { SimplePrefix: simple, PartitionedPrefix: partitioned } = format
  if ((simple === undefined) === (partitioned === undefined)) throw malformed('a key format is one of two')
  return partitioned === undefined
    ? { kind: 'simple' }
    : { kind: 'partitioned', dateSource: partitioned.PartitionDateSource }
}

export function loggingElements(
  { targetBucket, targetPrefix, targetGrants, keyFormat: format }: LoggingConfiguration,
  nameOf: (id: string) => string | undefined,
): readonly Xml[] {
  const grants = targetGrants?.map((grant) => grantElement(grant, nameOf))
  return [
    element('LoggingEnabled', [
      element('TargetBucket', targetBucket),
      optionalElement('TargetGrants', grants),
      element('TargetPrefix', targetPrefix),
      optionalElement('TargetObjectKeyFormat', format && [formatElement(format)]),
    ]),
  ]
}

const formatElement = (format: NonNullable<LoggingConfiguration['keyFormat']>): Xml =>
  format.kind === 'simple'
    ? element('SimplePrefix')
    : element('PartitionedPrefix', [element('PartitionDateSource', format.dateSource)])

/** Tags and locks of a version, which change without a new version. */

import type { Connection } from '../transport/connection.ts'
import { type ObjectReference, versionQuery } from './object-reference.ts'
import { callForXml, callS3, documentHeaders } from './s3.ts'
import { childOf, childrenOf, requiredText, xmlOf } from './xml.ts'

export interface Tag {
  readonly name: string
  readonly value: string
}

/** GetObjectTagging. */
export async function getTags(
  connection: Connection,
  object: ObjectReference,
  signal?: AbortSignal,
): Promise<readonly Tag[]> {
  const { root } = await callForXml(connection, 'GET', {
    ...object,
    query: [['tagging', ''], ...versionQuery(object)],
    signal,
  })
  return childrenOf(childOf(root, 'TagSet'), 'Tag').map((tag) => ({
    name: requiredText(tag, 'Key'),
    value: requiredText(tag, 'Value'),
  }))
}

/** PutObjectTagging. */
export const putTags = (connection: Connection, object: ObjectReference, tags: readonly Tag[]): Promise<void> =>
  putAnnotation(connection, object, 'tagging', tagDocument(tags))

export const tagDocument = (tags: readonly Tag[]): string =>
  xmlOf('Tagging', { TagSet: { Tag: tags.map(({ name, value }) => ({ Key: name, Value: value })) } })

/** PutObjectLegalHold. */
export const putLegalHold = (connection: Connection, object: ObjectReference, isOn: boolean): Promise<void> =>
  putAnnotation(connection, object, 'legal-hold', xmlOf('LegalHold', { Status: isOn ? 'ON' : 'OFF' }))

export interface Retention {
  readonly mode: 'GOVERNANCE' | 'COMPLIANCE'
  readonly until: Date
}

/** PutObjectRetention. A shorter governance retention needs the permission to bypass it. */
export const putRetention = (connection: Connection, object: ObjectReference, retention: Retention): Promise<void> =>
  putAnnotation(
    connection,
    object,
    'retention',
    xmlOf('Retention', { Mode: retention.mode, RetainUntilDate: retention.until.toISOString() }),
  )

async function putAnnotation(
  connection: Connection,
  object: ObjectReference,
  kind: string,
  body: string,
): Promise<void> {
  await callS3(connection, 'PUT', {
    ...object,
    query: [[kind, ''], ...versionQuery(object)],
    headers: documentHeaders(body),
    body,
  })
}

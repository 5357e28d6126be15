/** Object lock of a bucket. */

import type { Connection } from '../transport/connection.ts'
import { hasCode } from '../transport/failures.ts'
import { callForXml, callS3, documentHeaders } from './s3.ts'
import { childOf, textIn, xmlOf } from './xml.ts'

export interface DefaultRetention {
  readonly mode: 'GOVERNANCE' | 'COMPLIANCE'
  readonly unit: 'Days' | 'Years'
  readonly count: number
}

export interface ObjectLock {
  readonly isEnabled: boolean
  /** For new objects. */
  readonly defaultRetention: DefaultRetention | undefined
}

/** GetObjectLockConfiguration. */
export async function getObjectLock(connection: Connection, bucket: string, signal?: AbortSignal): Promise<ObjectLock> {
  try {
    const { root } = await callForXml(connection, 'GET', { bucket, query: [['object-lock', '']], signal })
    const rule = childOf(childOf(root, 'Rule'), 'DefaultRetention')
    const days = textIn(rule, 'Days')
    const years = textIn(rule, 'Years')
    const mode = textIn(rule, 'Mode')
    const count = days ?? years
    return {
      isEnabled: textIn(root, 'ObjectLockEnabled') === 'Enabled',
      defaultRetention:
        count === undefined
          ? undefined
          : {
              mode: mode === 'COMPLIANCE' ? 'COMPLIANCE' : 'GOVERNANCE',
              unit: days === undefined ? 'Years' : 'Days',
              count: Number(count),
            },
    }
  } catch (error) {
    if (!hasCode(error, 'ObjectLockConfigurationNotFoundError', 'AccessDenied')) throw error
    return { isEnabled: false, defaultRetention: undefined }
  }
}

/** PutObjectLockConfiguration. It turns object lock on; it can never be turned off. */
export async function putObjectLock(
  connection: Connection,
  bucket: string,
  retention: DefaultRetention | undefined,
): Promise<void> {
  const body = xmlOf('ObjectLockConfiguration', {
    ObjectLockEnabled: 'Enabled',
    Rule:
      retention === undefined
        ? undefined
        : { DefaultRetention: { Mode: retention.mode, [retention.unit]: retention.count } },
  })
  await callS3(connection, 'PUT', { bucket, query: [['object-lock', '']], headers: documentHeaders(body), body })
}

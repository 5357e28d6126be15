import type { NotificationConfiguration, NotificationTargetKind } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { notificationElements, readNotificationConfiguration } from './notification-configuration.ts'
import type { BucketContext } from '../contract/operation.ts'
import { settingAnswer, type SettingDocument } from './setting-rows.ts'

const root = 'NotificationConfiguration'
const skip = 'x-amz-skip-destination-validation'

export const notifications: SettingDocument<'Notifications'> = {
  kind: 'Notifications',
  query: 'notification',
  get: { name: 'GetBucketNotificationConfiguration' },
  put: { name: 'PutBucketNotificationConfiguration', understands: [skip] },
  bytesMax: 1024 * 1024,
  /** A configuration without targets removes the setting. */
  read(bytes, context) {
    const configuration = readNotificationConfiguration(bytes)
    checkTargets(configuration, context)
    return configuration.targets.length === 0 ? undefined : configuration
  },
  write: (configuration, context) => settingAnswer(root, context, notificationElements(configuration)),
  absent: (context) => settingAnswer(root, context, []),
}

const what: Readonly<Record<NotificationTargetKind, string>> = {
  Topic: 'topic',
  Queue: 'queue',
  CloudFunction: 'function',
}

/** Refuses an unknown target, unless the client skips this check. */
function checkTargets({ targets }: NotificationConfiguration, { headers, options }: BucketContext): void {
  if (headers.get(skip)?.toLowerCase() === 'true') return
  const unknown = targets.filter(({ arn }) => !options.notificationTargets.includes(arn))
  if (unknown.length === 0) return
  const details = unknown.flatMap(({ arn, kind }, i) => [
    [`ArgumentName${i + 1}`, arn],
    [`ArgumentValue${i + 1}`, `The destination ${what[kind]} does not exist`],
  ])
  throw new S3Error('InvalidArgument', 'Unable to validate the following destination configurations', {
    details: Object.fromEntries(details) as Record<string, string>,
  })
}

/** The notification configuration of a bucket: targets and events. */
export type NotificationTargetKind = 'Topic' | 'Queue' | 'CloudFunction'

/** A target, the event names that it receives, and its filter. */
export interface NotificationTarget {
  readonly id: string
  readonly kind: NotificationTargetKind
  readonly arn: string
  /** S3's names, such as `s3:ObjectCreated:*`. */
  readonly events: readonly string[]
  readonly filter?: readonly { readonly name: 'prefix' | 'suffix'; readonly value: string }[]
}

/** The targets of a bucket's notifications. */
export interface NotificationConfiguration {
  readonly targets: readonly NotificationTarget[]
  readonly eventBridge?: boolean
}

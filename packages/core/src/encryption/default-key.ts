/**
 * The key of the `aws:kms` modes if the request names none: the keyring's key of this name, or else the store's own.
 */
export const defaultKeyName = 'aws/s3'

const ids = /^(?:(?:arn:aws:kms:[^:]*:[^:]*:)?alias\/)?aws\/s3$/

/** Whether an id stands for the default key: its name, its alias, or the ARN of that. */
export const isDefaultKey = (id: string): boolean => ids.test(id)

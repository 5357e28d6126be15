import { defaultKeyName } from '@varve/core'

/** S3 shows the default key as an ARN. The names of other keys in the keyring are shown as they are. */
export const shownKeyId = (name: string): string => (name === defaultKeyName ? 'arn:aws:kms:::alias/aws/s3' : name)

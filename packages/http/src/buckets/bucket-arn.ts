/** The ARN of a bucket. */
export const bucketArn = (bucket: string): string => `arn:aws:s3:::${bucket}`

/** How S3 names a bucket to whoever has more of them than one partition. */
export const bucketArn = (bucket: string): string => `arn:aws:s3:::${bucket}`

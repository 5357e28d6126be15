/** The rules of S3 for names of new buckets, so that a form shows what is wrong before the server does. */
export function problemOfBucketName(name: string): string | undefined {
  if (name === '') return undefined
  if (name.length < 3 || name.length > 63) return 'A name has 3 to 63 characters.'
  if (/[^a-z0-9.-]/.test(name)) return 'A name has lower-case letters, digits, hyphens and dots only.'
  if (!/^[a-z0-9].*[a-z0-9]$/.test(name)) return 'A name begins and ends with a letter or a digit.'
  if (name.includes('..')) return 'A name has no two dots beside each other.'
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return 'A name must not look like an IP address.'
  return undefined
}

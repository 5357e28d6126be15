/**
 * The `Content-Encoding` to store. `aws-chunked` belongs to the transfer and is removed; everything else stays as it
 * was sent. `undefined` when nothing remains.
 */
export function storedContentEncoding(sent: string | undefined): string | undefined {
  if (sent === undefined || !/aws-chunked/i.test(sent)) return sent
  const kept = sent
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
  return kept.length === 0 ? undefined : kept.join(',')
}

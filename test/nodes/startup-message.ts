/** The first message of a client of PostgreSQL. */

const protocolVersion = 196_608

/** The name of the program that connects. `undefined` for any other message. */
export function originOf(chunk: Buffer): string | undefined {
  if (chunk.length < 9 || chunk.readInt32BE(4) !== protocolVersion) return undefined
  const fields = chunk.subarray(8, chunk.readInt32BE(0)).toString().split('\0')
  const at = fields.findIndex((field, i) => i % 2 === 0 && field === 'application_name')
  return at === -1 ? undefined : fields[at + 1]
}

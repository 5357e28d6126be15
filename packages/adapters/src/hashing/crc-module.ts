/**
 * A WebAssembly module that continues a reflected CRC of up to 64 bits, sixteen bytes in each step. It is small enough
 * to be put together here, so no binary file and no build tool is needed.
 *
 * Its memory holds the tables, then the bytes. Table n has, for each byte, the CRC of that byte with n zero bytes
 * behind it, so the CRC of sixteen bytes is the sum of sixteen entries.
 */

const tables = 16
const tableBytes = 256 * 8
/** Where the bytes begin, and how many fit. */
export const bytesAt = tables * tableBytes
export const bytesMax = 96 * 1024
const pages = (bytesAt + bytesMax) / 65_536

/** The types and instructions that the module needs, as the specification of WebAssembly numbers them. */
const i32 = 0x7f
const i64 = 0x7e
const op = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  br: (depth: number) => [0x0c, depth],
  brIf: (depth: number) => [0x0d, depth],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  i32Const: (value: number) => [0x41, ...signed(value)],
  i64Const: (value: number) => [0x42, ...signed(value)],
  i64Load: (offset: number) => [0x29, 3, ...unsigned(offset)],
  i64LoadByte: [0x31, 0, 0],
  i32GtU: [0x4b],
  i32GeU: [0x4f],
  i32Add: [0x6a],
  i32And: [0x71],
  i32Shl: [0x74],
  i64Xor: [0x85],
  i64ShrU: [0x88],
  wrap: [0xa7],
} as const

type Code = readonly number[]

function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

/** A signed number whose seventh bit is set needs one more byte. */
function signed(value: number): Code {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)]
}

const sized = (bytes: Code): Code => [...unsigned(bytes.length), ...bytes]
const section = (id: number, content: Code): Code => [id, ...sized(content)]
const name = (text: string): Code => sized([...Buffer.from(text)])

const [at, end, crc, second] = [0, 1, 2, 3]

/** The entry of a table for one byte of a local. */
function entry(table: number, local: number, byte: number): Code {
  const shifted = byte === 0 ? [] : [...op.i64Const(byte * 8 - 3), ...op.i64ShrU]
  const scaled = byte === 0 ? [...op.i32Const(3), ...op.i32Shl] : []
  const index = [...op.get(local), ...shifted, ...op.wrap, ...scaled, ...op.i32Const(0xff * 8), ...op.i32And]
  return [...index, ...op.i64Load(table * tableBytes)]
}

/** The sum of the entries for the bytes `from` to `to` of a local. In pairs, so that the processor adds many at once. */
function entries(local: number, behind: number, from = 0, to = 7): Code {
  if (from === to) return entry(behind - from, local, from)
  const middle = (from + to - 1) / 2
  return [...entries(local, behind, from, middle), ...entries(local, behind, middle + 1, to), ...op.i64Xor]
}

const join = (...parts: readonly Code[]): Code => parts.flat()

const advance = (bytes: number): Code => join(op.get(at), op.i32Const(bytes), op.i32Add)

const repeat = (isOver: Code, ...body: readonly Code[]): Code =>
  join(op.block, op.loop, isOver, op.brIf(1), ...body, op.br(0), op.end, op.end)

const sixteenBytes = repeat(
  join(advance(16), op.get(end), op.i32GtU),
  join(op.get(crc), op.get(at), op.i64Load(0), op.i64Xor, op.set(crc)),
  join(op.get(at), op.i64Load(8), op.set(second)),
  join(entries(crc, 15), entries(second, 7), op.i64Xor, op.set(crc)),
  join(advance(16), op.set(at)),
)

const oneByte = repeat(
  join(op.get(at), op.get(end), op.i32GeU),
  join(op.get(crc), op.get(at), op.i64LoadByte, op.i64Xor, op.set(second)),
  join(entry(0, second, 0), op.get(crc), op.i64Const(8), op.i64ShrU, op.i64Xor, op.set(crc)),
  join(advance(1), op.set(at)),
)

const oneLocal = [1, 1, i64]
const update = sized(join(oneLocal, sixteenBytes, oneByte, op.get(crc), op.end))

/** Exports its `memory` and `update(at: i32, end: i32, crc: i64): i64`. */
export const crcModule: Uint8Array = Uint8Array.from(
  join(
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [1, 0x60, 3, i32, i32, i64, 1, i64]),
    section(3, [1, 0]),
    section(5, [1, 0, pages]),
    section(7, [2, ...name('memory'), 2, 0, ...name('update'), 0, 0]),
    section(10, [1, ...update]),
  ),
)

/** Fills the tables for a polynomial in reflected bit order. */
export function fillTables(memory: ArrayBuffer, polynomial: bigint): void {
  const table = new BigUint64Array(memory, 0, tables * 256)
  for (let byte = 0; byte < 256; byte++) {
    let value = BigInt(byte)
    for (let bit = 0; bit < 8; bit++) value = (value & 1n) === 1n ? (value >> 1n) ^ polynomial : value >> 1n
    table[byte] = value
  }
  for (let at = 256; at < table.length; at++) {
    const before = table[at - 256] ?? 0n
    table[at] = (before >> 8n) ^ (table[Number(before & 0xffn)] ?? 0n)
  }
}

/** A token of RFC 9110: the syntax of header names. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Whether this is a valid header name, in upper or lower case. */
export const isHeaderName = (name: string): boolean => token.test(name)

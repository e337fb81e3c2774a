/** Whether a text has one of the control characters of ASCII: those below the space, or DEL. */
export function hasControlCharacter(text: string): boolean {
  return /[^ -~\x80-\uffff]/.test(text);
}

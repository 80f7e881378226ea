// The rule for new passwords, which the server checks as well (Authenticator.swift).

const lengthMin = 8;
const lengthMax = 1024;

/** Whether the server takes a new password. Characters are Unicode's code points. */
export function isPasswordLong(password) {
    const { length } = [...password];
    return length >= lengthMin && length <= lengthMax;
}

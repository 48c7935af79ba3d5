package hook

// Nobody runs this one: experiment only reads its bytes.

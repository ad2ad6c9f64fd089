package listener

// word reads the rest of true, false or null.
func (s *scanner) word(rest string) bool {
	for i := range len(rest) {
		if s.next() != int(rest[i]) {
			return false
		}
	}
	return true
}

// keep adds to the string or number read last. One that is too long to be an id or a key is emptied.
func (s *scanner) keep(part []byte) {
	if len(s.scratch) == 0 {
		return
	}
	if len(s.scratch)+len(part) > maxQuoted {
		s.scratch = s.scratch[:0]
		return
	}
	s.scratch = append(s.scratch, part...)
}

func (s *scanner) keepByte(c int) {
	if n := len(s.scratch); n > 0 && n < maxQuoted {
		s.scratch = append(s.scratch, byte(c)) //nolint:gosec // a byte that was read
		return
	}
	s.scratch = s.scratch[:0]
}

// text reads a string after its opening quote. With kept the scratch holds it, quotes included.
func (s *scanner) text(kept bool) bool {
	s.scratch = s.scratch[:0]
	if kept {
		s.scratch = append(s.scratch, '"')
	}
	for s.fill() {
		from := s.at
		for s.at < s.end && s.buf[s.at] != '"' && s.buf[s.at] != '\\' && s.buf[s.at] >= ' ' {
			s.at++
		}
		s.keep(s.buf[from:s.at])
		if s.at == s.end {
			continue
		}
		switch s.next() {
		case '"':
			s.keepByte('"')
			return true
		case '\\':
			if !s.escape() {
				return false
			}
		default: // a control character
			return false
		}
	}
	return false
}

// escape reads an escape sequence after its backslash.
func (s *scanner) escape() bool {
	c := s.next()
	s.keepByte('\\')
	s.keepByte(c) // at the end of the source the string is refused below
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			h := s.next()
			if (h < '0' || h > '9') && (h|0x20 < 'a' || h|0x20 > 'f') {
				return false
			}
			s.keepByte(h)
		}
		return true
	}
	return false
}

// number reads the number that begins with first.
func (s *scanner) number(first int) bool {
	c := first
	s.scratch = append(s.scratch[:0], byte(c)) //nolint:gosec // a byte, or no number
	took := false
	take := func() {
		if took {
			s.keepByte(c)
		}
		took = true
		if c = s.peek(); c != end {
			s.at++
		}
	}
	digits := func() (n int) {
		for ; c >= '0' && c <= '9'; n++ {
			take()
		}
		return n
	}
	ok := true
	if c == '-' {
		take()
	}
	leading := c
	if n := digits(); n == 0 || leading == '0' && n > 1 {
		ok = false
	}
	if ok && c == '.' {
		take()
		ok = digits() > 0
	}
	if ok && (c == 'e' || c == 'E') {
		take()
		if c == '+' || c == '-' {
			take()
		}
		ok = digits() > 0
	}
	if c != end && took {
		s.at-- // the byte behind the number belongs to the next token
	}
	return ok
}
